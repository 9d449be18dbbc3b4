/**
 * The services of the profile `citus` in compose.yaml run on three Citus nodes without Docker, with
 * a password per role.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { COMPOSE, PASSWORDS, statementsOf } from '../../../../test/container/compose.ts'
import { newFolder, run } from '../cli/command.ts'
import { startCitus } from '../support/citus-nodes.ts'
import { inSql, startSecondPostgres } from '../support/second-postgres.ts'
import { startScene } from './scene.ts'

test('the wallet of compose.yaml takes bets on three Citus nodes as a role that owns nothing', async (context) => {
  const nodes = await startCitus(startSecondPostgres)
  context.onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.stop()))))
  const [coordinator = '', ...workers] = nodes.map(({ url }) => url)
  const superuser = new URL(coordinator).password
  const as = (url: string, username: string, password = superuser) =>
    Object.assign(new URL(url), { username, password, pathname: '/purser' }).href
  for (const { url } of nodes) {
    for (const one of statementsOf('compose-roles.sql')) await inSql(url, one)
    for (const one of statementsOf('ops/citus/node.sql', { ...PASSWORDS, superuser }))
      await inSql(as(url, 'postgres'), one)
  }
  const hosts = { 'citus-coordinator': coordinator, 'citus-worker-1': workers[0], 'citus-worker-2': workers[1] }
  for (const one of statementsOf('ops/citus/nodes.sql')) {
    const here = one.replace(/'([\w-]+)', 5432/, (_, name: keyof typeof hosts) => {
      const { hostname, port } = new URL(hosts[name] ?? '')
      return `'${hostname}', ${port}`
    })
    await inSql(as(coordinator, 'postgres'), here)
  }
  const folder = newFolder()
  context.onTestFinished(() => folder.remove())
  writeFileSync(join(folder.path, 'owner-url'), as(coordinator, 'purser_owner', PASSWORDS.owner))
  const migrated = await run(COMPOSE.services['citus-migrate']?.command ?? [], {
    NODE_ENV: 'production',
    DATABASE_URL_FILE: join(folder.path, 'owner-url'),
  })
  expect(migrated).toMatchObject({ code: 0, stderr: '' })
  const { taken, isWhole } = await startScene(context, as(coordinator, 'purser_wallet', PASSWORDS.wallet))
  await expect.poll(taken).toBeGreaterThan(100)
  await isWhole()
})
