FROM node:20-slim
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev
USER node
EXPOSE 8080
CMD ["node", "dist/main.js", "wallet"]
