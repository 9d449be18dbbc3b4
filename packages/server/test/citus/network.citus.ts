/**
 * The network between a Citus coordinator and a worker fails under load, by silence or broken
 * connections. Afterwards every answered call is stored once.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { inject, test } from 'vitest'
import { createOnCitus } from '../support/database.ts'
import { until } from '../support/server-settings.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { startScene } from './scene.ts'

const TIMES = 3

test.for([
  { name: 'silent', fault: 'silence' },
  { name: 'broken', fault: 'cut' },
] as const)(
  'the network between Citus nodes is $name repeatedly, and every answered call is stored once',
  async ({ fault }, context) => {
    const [first = '', ...others] = inject('citusWorkers') ?? []
    const network = await startTcpProxy(first)
    context.onTestFinished(() => network.close())
    const database = await createOnCitus(`network_${fault}`, [inject('postgresUrl'), network.url, ...others])
    const { random, refused, isWhole } = await startScene(context, database.url)
    for (let time = 0; time < TIMES; time++) {
      await sleep(500 + random.below(500))
      const isRefused = refused()
      if (fault === 'silence') {
        network.silence()
        await until(isRefused)
        network.resume()
      } else {
        // A call may use only one node, so the network is cut until a call has failed.
        await until(async () => {
          network.cut()
          return isRefused()
        })
      }
    }
    await isWhole()
    await database.drop()
  },
)
