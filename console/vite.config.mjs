/** The console as static files. Every asset has its hash in its name, so that it may be kept for ever (src/http/console-files.ts). */
import { fileURLToPath } from 'node:url'

export default {
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  logLevel: 'warn',
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    assetsInlineLimit: 0, // no data: in the pages but the icon
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    target: 'es2022',
    // Libraries say 'use client' for servers that render; here everything is a client.
    rolldownOptions: { onLog: (level, log, tell) => void (log.code !== 'MODULE_LEVEL_DIRECTIVE' && tell(level, log)) },
  },
}
