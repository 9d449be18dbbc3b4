FROM node:20-slim
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev
USER node
# Less copying by the garbage collector under load (docs/guides/run-in-production.md).
ENV NODE_OPTIONS=--max-semi-space-size=64
EXPOSE 8080
# Any command: docker run … purser conformance wallet …
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["wallet"]
