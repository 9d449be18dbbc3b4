/** Vite's options with which the packages import each other's sources, as in vitest.config.ts. */
export const ON_SOURCES = { ssr: { resolve: { conditions: ['source', 'node'] } } }
