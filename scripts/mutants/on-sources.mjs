/**
 * Options of Vite with which each package imports the sources of other packages, as in
 * vitest.config.ts.
 */
export const ON_SOURCES = { ssr: { resolve: { conditions: ['source', 'node'] } } }
