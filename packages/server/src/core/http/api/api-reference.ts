/**
 * The API reference: the committed OpenAPI document, and a page that shows it. A strict
 * Content-Security-Policy lets the page load data only from this server.
 */
import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { PERMISSIONS_POLICY } from '../console-files.ts'

export type ServerName = 'wallet' | 'platform' | 'gateway'

/** The folder is next to dist/ in the package, and next to src/ in the repository. */
const documentUrl = (server: ServerName) => new URL(`../../../../openapi/${server}.json`, import.meta.url)
const REDOC = new URL('../../../../vendor/redoc/redoc.standalone.js', import.meta.url)

/** Redoc would load only this logo from another server; the page shows an empty image instead. */
const REMOTE_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg'
const NO_LOGO = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='

/** Redoc writes its styles into the page, and searches in a worker that it creates from a blob. */
const POLICY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  'worker-src blob:',
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const FONT = 'system-ui, sans-serif'
const THEME = { typography: { fontFamily: FONT, headings: { fontFamily: FONT }, code: { fontFamily: 'monospace' } } }

/** Relative addresses also work after a proxy that adds a prefix to the path. */
const renderReferencePage = (server: ServerName) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Purser ${server}: API reference</title>
    <link rel="icon" href="data:,">
    <style>body { margin: 0 }</style>
  </head>
  <body>
    <redoc spec-url="openapi.json" hide-loading required-props-first theme='${JSON.stringify(THEME)}'></redoc>
    <script src="docs/redoc.js"></script>
  </body>
</html>
`

/** Adds GET /openapi.json and GET /docs. Files are read at the first request. */
export function registerApiReference(app: FastifyInstance, server: ServerName): void {
  const document = retryUntilLoaded(() => readFile(documentUrl(server)))
  const page = Buffer.from(renderReferencePage(server))
  const redoc = retryUntilLoaded(async () =>
    Buffer.from((await readFile(REDOC, 'utf8')).replaceAll(REMOTE_LOGO, NO_LOGO)),
  )
  app.get('/openapi.json', async (_request, reply) => sendAsset(reply, 'application/json', await document()))
  app.get('/docs', (_request, reply) => sendAsset(reply, 'text/html', page))
  app.get('/docs/redoc.js', async (_request, reply) => sendAsset(reply, 'text/javascript', await redoc()))
}

/** A string would be encoded again for each answer, a buffer is not. */
function sendAsset(reply: FastifyReply, type: string, body: Buffer): FastifyReply {
  return reply
    .header('content-type', `${type}; charset=utf-8`)
    .header('content-security-policy', POLICY)
    .header('permissions-policy', PERMISSIONS_POLICY)
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'no-cache')
    .send(body)
}

/** Caches the first result; a failed load is repeated at the next request. */
function retryUntilLoaded<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
