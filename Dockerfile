FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json ./
# Postgres comes from outside here and Node is this image's: neither is needed a second time.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund && npm cache clean --force
COPY shared shared
COPY server server
USER node
EXPOSE 2567
# Node itself as the first process, so that SIGTERM reaches it.
CMD ["node", "server/main.ts"]
