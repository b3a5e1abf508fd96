"""The constrained sampler in plain Python, a token at a time, as slow and plain as its formulas."""

import numpy as np

from experiments.baselines.gibbs import LANES, MOST

f32 = np.float32
MASK = (1 << 64) - 1


def uniform(state: int) -> tuple[int, float]:
    """SplitMix64 with whole numbers of Python."""
    state = (state + 0x9E3779B97F4A7C15) & MASK
    x = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return state, ((x ^ (x >> 31)) >> 11) * 2.0**-53


def draw_topic(weight, u):
    """The topic at `u` on the line of weights, which runs lane after lane."""
    ends, total = [], f32(0)
    for lane in range(LANES):
        in_lane = f32(0)
        for k in range(lane, len(weight), LANES):
            in_lane = in_lane + weight[k]
        total = total + in_lane if lane else in_lane
        ends.append(total)
    target = f32(u) * total
    lane = next((at for at in range(LANES - 1) if target < ends[at]), LANES - 1)
    rest = target - (ends[lane - 1] if lane else f32(0))
    running = f32(0)
    for k in range(lane, len(weight), LANES):
        running = running + weight[k]
        if running > rest or k + LANES >= len(weight):
            return k
    raise AssertionError


def link_factor(counts, row, knowledge, k):
    first, last = knowledge.link_offsets[row : row + 2]
    pull = 1.0
    for u, sign in zip(knowledge.link_words[first:last], knowledge.link_signs[first:last], strict=True):
        ratio = max(1.0, float(counts[u, k]) / knowledge.floor)
        pull = pull * ratio if sign > 0 else pull / ratio
    return min(pull, MOST)


def path_ratios(n_wk, knowledge, w, g, k, beta):
    """The path through the Dirichlet tree over that through the plain prior, from the counts of words.

    Two factors: that of the must-link group and, if there are cannot-links, that of its component.
    """
    eta = knowledge.eta
    groups = {
        h: [v for v, row in enumerate(knowledge.row_of) if row >= 0 and knowledge.group_of[row] == h]
        for h in range(len(knowledge.group_size))
    }
    n = {h: float(sum(n_wk[v, k] for v in words)) for h, words in groups.items()}
    size = {h: len(words) for h, words in groups.items()}
    n_w = float(n_wk[w, k])
    yield ((n[g] + size[g] * beta) * (n_w + eta * beta) / ((n[g] + size[g] * (eta * beta)) * (n_w + beta)))
    r = knowledge.component_of[g]
    if r >= 0:
        members = [h for h in groups if knowledge.component_of[h] == r]
        liked = [h for h in members if knowledge.favoured[h, k]]
        n_r, n_m = sum(n[h] for h in members), sum(n[h] for h in liked)
        words_r, words_m = sum(size[h] for h in members), sum(size[h] for h in liked)
        path = (n_r + words_r * beta) / (n_r + eta * words_m * beta + (words_r - words_m) * beta)
        if g in liked:
            path *= (n_m + eta * words_m * beta) / (n_m + words_m * beta)
        yield path


def sweep(tokens, offsets, topics, n_topics, alpha, beta, knowledge, stream):
    """Return the topics after one sweep, and the state of the random stream."""
    topics, n_words, columns = list(topics), len(knowledge.row_of), len(alpha)
    n_wk = np.zeros((n_words, columns), f32)
    for w, k in zip(tokens, topics, strict=True):
        n_wk[w, k] += 1
    for j in range(len(offsets) - 1):
        document = range(offsets[j], offsets[j + 1])
        for i in document:
            w, row = tokens[i], knowledge.row_of[tokens[i]]
            n_wk[w, topics[i]] -= 1
            weight = np.zeros(columns, f32)
            for k in range(n_topics):
                n_jk = alpha[k] + f32(sum(topics[other] == k for other in document if other != i))
                inverse = f32(1.0 / (float(n_wk[:, k].sum(dtype=np.float64)) + n_words * beta))
                weight[k] = n_jk * (n_wk[w, k] + f32(beta)) * inverse
                if row >= 0:
                    weight[k] *= knowledge.potential[row, k]
                    weight[k] = f32(float(weight[k]) * link_factor(n_wk, row, knowledge, k))
                    if knowledge.group_of[row] >= 0:
                        for ratio in path_ratios(n_wk, knowledge, w, knowledge.group_of[row], k, beta):
                            weight[k] = f32(float(weight[k]) * ratio)
            stream, u = uniform(stream)
            topics[i] = draw_topic(weight, u)
            n_wk[w, topics[i]] += 1
    return topics, stream
