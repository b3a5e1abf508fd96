"""Small corpora in other languages, written for the tests: in each, half of the documents are about water.

In: a language and a seed. Out: texts, and the words that the water documents are made of. A sentence is drawn
from lists of words of our own; nothing is copied from anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Words:
    """What the documents of a language are made of.

    Parameters
    ----------
    query : str
        A word that every document about water has.
    floods, supply : tuple of str
        Words of two kinds of documents about water.
    music, football : tuple of str
        Words of the other documents.
    filler : tuple of str
        Stop words, which any sentence may have.
    between, end : str
        What stands between words, and at the end of a sentence.
    """

    query: str
    floods: tuple[str, ...]
    supply: tuple[str, ...]
    music: tuple[str, ...]
    football: tuple[str, ...]
    filler: tuple[str, ...]
    between: str = " "
    end: str = ". "


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split())


WORDS = {
    "german": Words(
        "Wasser",
        _split("Fluss Deich Hochwasser Pegel Regen Keller Straße Überschwemmung Feuerwehr Sandsack"),
        _split("Leitung Brunnen Trinkwasser Rohr Verbrauch Zähler Gebühr Quelle Filter Pumpe"),
        _split("Orchester Geige Konzert Oper Chor Bühne Sänger Noten Klavier Dirigent"),
        _split("Tor Mannschaft Spieler Trainer Stadion Pokal Ball Elfmeter Abseits Torwart"),
        _split("und der die das nicht auch mit über für eine"),
    ),
    "french": Words(
        "eau",
        _split("fleuve digue inondation crue pluie cave route pompiers niveau orage"),
        _split("robinet puits conduite tuyau facture compteur source filtre pompe réservoir"),
        _split("orchestre violon concert opéra chœur scène chanteur partition piano chef"),
        _split("but équipe joueur entraîneur stade coupe ballon penalty gardien match"),
        _split("et le la les pas aussi avec sur pour une"),
    ),
    "spanish": Words(
        "agua",
        _split("río dique inundación crecida lluvia sótano carretera bomberos nivel tormenta"),
        _split("grifo pozo tubería factura contador fuente filtro bomba embalse consumo"),
        _split("orquesta violín concierto ópera coro escenario cantante partitura piano director"),
        _split("gol equipo jugador entrenador estadio copa balón penalti portero partido"),
        _split("y el la los no también con sobre para una"),
    ),
    "arabic": Words(
        "ماء",
        _split("نهر سد فيضان مطر قبو طريق إطفاء منسوب عاصفة أضرار"),
        _split("صنبور بئر أنبوب فاتورة عداد ينبوع مرشح مضخة خزان استهلاك"),
        _split("أوركسترا كمان حفلة أوبرا جوقة مسرح مغني نوتة بيانو مايسترو"),
        _split("هدف فريق لاعب مدرب ملعب كأس كرة ركلة حارس مباراة"),
        _split("في من على إلى عن مع هذا التي أن لا"),
    ),
    "chinese": Words(
        "用水",
        _split("河流 堤坝 洪水 水位 暴雨 地下室 公路 消防 风暴 损失"),
        _split("水管 水井 自来水 水表 费用 泉水 过滤 水泵 水库 消耗"),
        _split("乐团 小提琴 音乐会 歌剧 合唱 舞台 歌手 乐谱 钢琴 指挥"),
        _split("进球 球队 球员 教练 球场 奖杯 足球 点球 守门员 比赛"),
        _split("我们 他们 因为 所以 但是 可以 这个 那个 已经 没有"),
        between="",
        end="。",
    ),
}


def write_texts(language: str, seed: int = 0, n_documents: int = 80) -> list[str]:
    """Write documents; those at even places are about water, by turns about floods and about supply."""
    rng, words = np.random.default_rng(seed), WORDS[language]
    texts = []
    for j in range(n_documents):
        own = (words.floods, words.music, words.supply, words.football)[j % 4]
        sentences = [_sentence(rng, words, own, with_query=j % 2 == 0) for _ in range(4)]
        texts.append("".join(sentences).strip())
    return texts


def _sentence(rng: np.random.Generator, words: Words, own: tuple[str, ...], *, with_query: bool) -> str:
    chosen = [str(word) for word in rng.choice(own, 6)]
    chosen += [str(word) for word in rng.choice(words.filler, 3)]
    chosen += [words.query] if with_query else []
    rng.shuffle(chosen)
    return words.between.join(chosen) + words.end


def cut_words(text: str) -> list[str]:
    """Cut a Chinese text into words as a tokenizer package would: the longest known word first."""
    words = WORDS["chinese"]
    known = {words.query, *words.floods, *words.supply, *words.music, *words.football, *words.filler}
    tokens, at = [], 0
    while at < len(text):
        length = next((n for n in (4, 3, 2) if text[at : at + n] in known), 1)
        tokens.append(text[at : at + length])
        at += length
    return tokens
