# The playable page, built once: the server's own image needs neither its sources nor its tools.
FROM node:24-slim AS page
WORKDIR /app
COPY package.json package-lock.json ./
# With the optional packages: the bundler's native binding is one.
RUN npm ci --include=optional --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY shared shared
COPY build/build-page.ts build/build-page.ts
COPY client client
COPY ops ops
RUN node build/build-page.ts

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json ./
# Without the optional packages, Postgres and Node: Postgres runs outside, the image has Node.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund && npm cache clean --force
COPY shared shared
COPY server server
COPY --from=page /app/client/dist client/dist
COPY --from=page /app/ops/dist ops/dist
USER node
EXPOSE 2567
# Stop it with `docker stop -t 30`: Docker's own 10 s are shorter than DRAIN_MS.
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT ?? 2567) + '/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node itself without a shell, so that SIGTERM reaches it. Start it with `docker run --init`: as the first process Node would ignore
# a SIGTERM that comes before the server has registered its handlers.
CMD ["node", "--max-semi-space-size=32", "--heap-growing-percent=50", "server/reference/main.ts"]
