"""Colours that can be told from their ground (WCAG 2, at least 4.5 to 1), and a style sheet that has them."""

import pytest

from qdtm.present.theme import (
    DARK,
    LIGHT,
    SERIES_DARK,
    SERIES_LIGHT,
    component_css,
    page_css,
    series,
    series_number,
    theme_css,
)


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("names", "colours"), [(LIGHT, SERIES_LIGHT), (DARK, SERIES_DARK)])
def test_contrast(names, colours):
    for ink in ("ink", "muted", "accent", "good", "warn", "bad"):
        for ground in ("paper", "panel"):
            assert contrast(names[ink], names[ground]) >= 4.5, (ink, ground)
    for colour in colours:
        assert contrast(colour, names["on-color"]) >= 4.5, colour
        assert contrast(colour, names["paper"]) >= 3, colour


def test_the_style_sheet_has_every_variable():
    theme = theme_css()
    for name, colour in {**LIGHT, **DARK}.items():
        assert f"--q-{name}:" in theme
        assert colour in theme
    for css in (component_css(), page_css()):
        assert css.count("{") == css.count("}")
        assert "url(" not in css
        assert "@import" not in css
    for number in range(1, len(SERIES_LIGHT) + 1):
        assert f".q-c{number}{{" in theme


def test_colours_go_round():
    n = len(SERIES_LIGHT)
    assert len(SERIES_DARK) == n
    assert series(n + 2) == series(2)
    assert series_number(n + 2) == series_number(2) == 3
