/**
 * Serves the console's pages (U-1): static files from `npm run build`, compressed, with a hash in
 * each name. One page answers every address below /console. Its Content-Security-Policy lets the
 * browser load and run nothing but these files.
 */
import { readdir, readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Value of `permissions-policy`: our pages use no devices. */
export const PERMISSIONS_POLICY = 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'

const DIST = new URL('../../../dist/console/', import.meta.url)
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}
const CACHE_FOREVER = 'public, max-age=31536000, immutable'

interface ConsoleFile {
  readonly plain: Buffer
  readonly gzip: Buffer | undefined
}

const HINT = 'The console is not built: run `npm run build`.'

export function registerConsoleFiles(app: FastifyInstance): void {
  let loading: Promise<ReadonlyMap<string, ConsoleFile>> | undefined
  const files = () => {
    loading ??= loadFiles().catch(() => {
      loading = undefined // a later build may add the files
      return new Map<string, ConsoleFile>()
    })
    return loading
  }
  const page = async (request: FastifyRequest, reply: FastifyReply) => {
    const file = (await files()).get('index.html')
    if (file === undefined) return reply.code(503).type('text/plain').send(HINT)
    return sendFile(request, reply, 'index.html', file, 'no-cache')
  }
  app.get('/console', page)
  app.get('/console/assets/:name', async (request, reply) => {
    const { name } = request.params as { name: string }
    const file = (await files()).get(name)
    return file === undefined || name === 'index.html'
      ? reply.code(404).type('text/plain').send('no such file')
      : sendFile(request, reply, name, file, CACHE_FOREVER)
  })
  app.get('/console/*', page)
}

function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  { plain, gzip }: ConsoleFile,
  cache: string,
) {
  const isGzip = gzip !== undefined && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
  return reply
    .header('content-type', CONTENT_TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream')
    .header('content-security-policy', POLICY)
    .header('permissions-policy', PERMISSIONS_POLICY)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cross-origin-resource-policy', 'same-origin')
    .header('cache-control', cache)
    .header('vary', 'accept-encoding')
    .headers(isGzip ? { 'content-encoding': 'gzip' } : {})
    .send(isGzip ? gzip : plain)
}

async function loadFiles(): Promise<ReadonlyMap<string, ConsoleFile>> {
  const assets = new URL('assets/', DIST)
  const names = (await readdir(assets)).filter((name) => !name.endsWith('.gz'))
  const read = async (base: URL, name: string): Promise<[string, ConsoleFile]> => [
    name,
    {
      plain: await readFile(new URL(name, base)),
      gzip: await readFile(new URL(`${name}.gz`, base)).catch(() => undefined),
    },
  ]
  return new Map(await Promise.all([read(DIST, 'index.html'), ...names.map((name) => read(assets, name))]))
}
