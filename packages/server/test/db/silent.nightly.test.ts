/**
 * A transaction of the embedded database may be idle for any time, for example while Ctrl-Z stops
 * the process. The test runs the transaction in a child process, because a process that hangs
 * cannot report its failure.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const urlOf = (path: string) => JSON.stringify(new URL(`../../dist/${path}`, import.meta.url).href)
/** Milliseconds; a server ends a transaction that is idle for 5 s. */
const SILENT_MS = 6_000
const HUNG_MS = 120_000

const SILENT = `
const { openPglite } = await import(${urlOf('core/database/pglite/pglite.js')})
const { statement } = await import(${urlOf('core/database/db.js')})
const db = await openPglite('memory://')
const ask = (tx) => tx.query(statement('silent', 'select 1'))
for (const transaction of [db.transaction, db.openLane().transaction, db.longTransaction, db.snapshot, db.reportSnapshot]) {
  await transaction(async (tx) => {
    await ask(tx)
    await new Promise((resolve) => setTimeout(resolve, ${SILENT_MS}))
    await ask(tx)
  })
  console.log('went on')
}
await db.close()
`

test(
  'a transaction of the embedded database continues after seconds without a statement',
  async () => {
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', SILENT], {
      ...{ timeout: HUNG_MS, killSignal: 'SIGKILL' },
    })
    const { stdout } = await run.catch(({ stdout }: { stdout: string }) => ({ stdout }))
    expect(stdout.trim().split('\n')).toEqual(Array(5).fill('went on'))
  },
  2 * HUNG_MS,
)
