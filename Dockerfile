# syntax=docker/dockerfile:1
# One stage builds and drops what only building needs; the other has what runs. test/gate/container.js carries out the steps.
# The base of both stages: Node 22.23.1 on Alpine 3.24, for all platforms. The update bot raises it; docs/running-in-public.md tells how to.
ARG NODE_IMAGE=node:22-alpine@sha256:16e22a550f3863206a3f701448c45f7912c6896a62de43add43bb9c86130c3e2
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json openapi.yaml ./
COPY build ./build
COPY schemas ./schemas
COPY config ./config
COPY public ./public
COPY src ./src
RUN npm run build
# The documentation site, for /guide. Its generator stays in this stage.
COPY README.md README.zh-CN.md CHANGELOG.md CONTRIBUTING.md SECURITY.md ./
COPY docs ./docs
COPY site ./site
RUN npm run site
# Tools go; what runs stays, in the versions of the lock.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
RUN rm -r build dist/.build src schemas docs site README.md README.zh-CN.md CHANGELOG.md CONTRIBUTING.md SECURITY.md config/user-info.ts public/app public/icons public/*.* tsconfig.json package-lock.json

FROM ${NODE_IMAGE}
# Nothing that runs here installs packages.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg /opt/yarn*
RUN install -d -o node -g node -m 0700 /config
WORKDIR /app
COPY --from=build /app ./
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3200 CONFIG_DIR=/config
USER node
EXPOSE 3200
VOLUME /config
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s --retries=3 CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.MUSIC_RELAY_PORT || process.env.PORT) + '/health/live').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Not npm: it would stand between the signal and the relay.
CMD ["node", "dist/cli.js", "serve"]
