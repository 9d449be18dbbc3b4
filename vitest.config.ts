import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Soaks take minutes and are run by hand: PURSER_SOAK=1 npx vitest run
    include: [process.env.PURSER_SOAK ? 'test/**/*.soak.ts' : 'test/**/*.test.ts'],
    globalSetup: ['test/support/postgres-server.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})
