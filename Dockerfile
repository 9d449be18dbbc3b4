# The tag tells people which image this is, the digest tells Docker; renew both together (`docker buildx imagetools inspect`
# prints the digest of a tag). Node 24 is supported until April 2028.
FROM node:24.21.0-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json tsconfig.base.json ./
COPY scripts ./scripts
COPY packages ./packages
RUN npm ci --ignore-scripts && npm run build && npm prune --omit=dev && mkdir data
# The servers need neither sources nor the packages that only tests and the build use.
RUN rm -rf packages/*/src packages/*/test packages/console packages/simulator \
  && rm -f node_modules/@purser/console node_modules/@purser/simulator

FROM node:24.21.0-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/packages ./packages
# The only folder that is written to: generated keys and, without DATABASE_URL, the embedded database.
COPY --from=build --chown=node:node /app/data /data
VOLUME /data
# Every address of the container: only what `-p` publishes is reached from outside. Every server listens on the same port,
# so that the health check finds it. NODE_OPTIONS: less copying by the garbage collector under load.
ENV HOST=0.0.0.0 PORT=8080 PURSER_DATA_DIR=/data NODE_OPTIONS=--max-semi-space-size=64
EXPOSE 8080
USER node
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Any command: docker run … purser conformance wallet …
ENTRYPOINT ["node", "/app/packages/server/dist/main.js"]
CMD ["wallet"]
