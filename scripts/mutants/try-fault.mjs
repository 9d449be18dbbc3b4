/**
 * A process of plant.mjs: runs tests with a fault, or without one, on a Postgres that is there. It writes, as JSON, which
 * of the files failed. A process of its own, since a fault can keep its event loop busy for ever: then plant.mjs ends it.
 */
import { join } from 'node:path'
import { createVitest } from 'vitest/node'
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
  { plugins: fault === undefined ? [] : [planting()] },
)
const { testModules, unhandledErrors } = await vitest.start()
const failed = testModules.filter(hasFailed).map(({ relativeModuleId }) => relativeModuleId)
// An error outside the tests may be any file's.
process.stdout.write(JSON.stringify({ failed: unhandledErrors.length > 0 ? tests : failed }))
await vitest.close()
process.exit(0)

/** The first failure ends the run (`bail`), and then its file may have no state of its own yet. */
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
