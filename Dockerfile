# The web app of qdtm in a container: reachable only through a port that is mapped on purpose.
#
#     docker build -t qdtm-app .
#     docker run --rm -p 127.0.0.1:8650:8650 -e QDTM_TOKEN=something-long -v qdtm:/workspace qdtm-app
#
# Then open http://localhost:8650 and give the token. Inside, the app must listen at every address of the
# container, else no mapped port would reach it; like anywhere else it refuses to do so without a token.
# With 127.0.0.1 in -p, only this machine can reach it.

FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN python -m pip install --no-cache-dir --prefix=/install ".[app,parquet,xlsx]"

FROM python:3.13-slim
COPY --from=build /install /usr/local
RUN useradd --create-home --uid 1000 qdtm \
    && mkdir /workspace \
    && chown qdtm:qdtm /workspace
USER qdtm
WORKDIR /home/qdtm
VOLUME ["/workspace"]
EXPOSE 8650
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8650/login', timeout=4)"]
CMD ["qdtm", "app", "--host", "0.0.0.0", "--port", "8650", "--workspace", "/workspace", "--no-browser"]
