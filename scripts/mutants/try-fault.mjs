/**
 * Runs tests with or without a fault on a given Postgres and prints the failed files as JSON. A
 * fault can block the event loop for ever, so plant.mjs runs this file as a separate process and
 * kills it.
 */
import { join } from 'node:path'
import { createVitest } from 'vitest/node'
import { ON_SOURCES } from './on-sources.mjs'
import { plantFault } from './operators.mjs'

/** Milliseconds for one test. */
const TEST_TIMEOUT_MS = 60_000

const { root, postgresUrl, tests, fault } = JSON.parse(process.argv[2] ?? '{}')
const vitest = await createVitest(
  'test',
  {
    ...{ root, config: false, watch: false, reporters: [{}], maxWorkers: 2, include: tests, provide: { postgresUrl } },
    ...{ bail: fault === undefined ? 0 : 1, testTimeout: TEST_TIMEOUT_MS, hookTimeout: TEST_TIMEOUT_MS },
  },
  { plugins: fault === undefined ? [] : [planting()], ...ON_SOURCES },
)
const { testModules, unhandledErrors } = await vitest.start()
const failed = testModules.filter(hasFailed).map(({ relativeModuleId }) => relativeModuleId)
// An error outside the tests may come from any file.
process.stdout.write(JSON.stringify({ failed: unhandledErrors.length > 0 ? tests : failed }))
await vitest.close()
process.exit(0)

/** The first failure ends the run (`bail`), when its file may have no state yet. */
function hasFailed(file) {
  return file.state() === 'failed' || !file.children.allTests('failed').next().done
}

function planting() {
  const path = join(root, fault.path)
  return {
    name: 'purser-operator-fault',
    enforce: 'pre',
    transform: (code, id) => (id.split('?')[0] === path ? plantFault(code, fault) : undefined),
  }
}
