# The bot as an image. Build from the root of the repository:  docker build -t gpu-autopsy .
# It runs as a user without rights, on a read-only root file system; /tmp is the only folder that it may write to.
ARG PYTHON=python:3.13.9-slim-trixie

FROM ${PYTHON} AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /src
# Two environments: one that builds the wheel, and one that the image keeps.
RUN python -m venv --without-pip /build && python -m venv --without-pip /opt/venv
COPY requirements.lock requirements-dev.lock ./
RUN pip --python /opt/venv/bin/python install --require-hashes -r requirements.lock
RUN pip --python /build/bin/python install --require-hashes -r requirements-dev.lock
COPY pyproject.toml README.md ./
COPY prompts ./prompts
COPY runbooks ./runbooks
COPY bot ./bot
RUN /build/bin/python -m hatchling build -t wheel -d /wheels \
    && pip --python /opt/venv/bin/python install --no-deps --no-index /wheels/*.whl

FROM ${PYTHON}
ENV PATH=/opt/venv/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
COPY --from=build /opt/venv /opt/venv
WORKDIR /tmp
USER 65532:65532
EXPOSE 8080
ENTRYPOINT ["gpu-autopsy"]
CMD ["serve"]
