"""What all tests share: hypothesis tries the same examples every time, and no machine is too busy for it."""

from hypothesis import settings

settings.register_profile("qdtm", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("qdtm")
