/**
 * Builds the console as static files. The name of each asset contains its hash, so that browsers
 * may cache it for ever (packages/server/src/core/http/console-files.ts).
 */
import { fileURLToPath } from 'node:url'
import { defaultClientConditions } from 'vite'

const resolvePath = (path) => fileURLToPath(new URL(path, import.meta.url))

/** Entry of the script that sends the first requests before the application loads. */
const EARLY = 'begin'
const earlyScript = {
  name: 'begin-script',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {} }) {
      const { fileName } = Object.values(bundle).find(({ type, name }) => type === 'chunk' && name === EARLY)
      const attrs = { type: 'module', async: true, crossorigin: true, src: `/console/${fileName}` }
      return [{ tag: 'script', attrs, injectTo: 'head-prepend' }]
    },
  },
}

export default {
  root: resolvePath('.'),
  resolve: { conditions: ['source', ...defaultClientConditions] },
  plugins: [earlyScript],
  base: '/console/',
  logLevel: 'warn',
  build: {
    outDir: '../server/dist/console',
    emptyOutDir: true,
    assetsInlineLimit: 0, // no data: in the pages but the icon
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    target: 'es2022',
    // Libraries say 'use client' for servers that render; here everything is a client.
    rolldownOptions: {
      input: { index: resolvePath('index.html'), [EARLY]: resolvePath('src/app/prefetch-entry.ts') },
      onLog: (level, log, forward) => void (log.code !== 'MODULE_LEVEL_DIRECTIVE' && forward(level, log)),
    },
  },
}
