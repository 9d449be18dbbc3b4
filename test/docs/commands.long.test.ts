import { describe, test } from 'vitest'
import { startSecondPostgres } from '../../packages/server/test/support/second-postgres.ts'
import { startWallet } from '../../packages/server/test/support/wallet.ts'
import { follow, followWithServer } from './follow.ts'
import { makeProductionRoles, PRODUCTION_PAGE, productionUrl } from './production-roles.ts'
import { makeFolder, runBlocks } from './session.ts'

describe('the commands in', () => {
  test('the page that connects a platform produce what it shows', () =>
    followWithServer('docs/guides/connect-a-platform.md'))

  test('the tutorial produce what it shows', () => followWithServer('docs/tutorial/first-bet.md'))

  test('the guide to the platform produce what it shows', () => followWithServer('docs/guides/run-a-platform.md'))

  test('the guide to certification produce what it shows', () => followWithServer('docs/guides/certify-your-wallet.md'))

  test('the page on histories of one bet produce what it shows', async () => {
    const folder = makeFolder()
    try {
      await follow('docs/concepts/every-history.md', (blocks) => runBlocks(folder, blocks, {}))
    } finally {
      folder.remove()
    }
  })

  test('the page on audits produce what it shows', async () => {
    const folder = makeFolder()
    const wallet = await startWallet()
    try {
      await follow('docs/operations/audit.md', (blocks) =>
        runBlocks(folder, blocks, { env: { DATABASE_URL: wallet.databaseUrl } }),
      )
    } finally {
      await wallet.stop()
      folder.remove()
    }
  })

  test('the guide to production produce what it shows, on a Postgres with its roles', async () => {
    const [folder, postgres] = [makeFolder(), await startSecondPostgres()]
    try {
      await makeProductionRoles(postgres)
      const env = { DATABASE_URL: productionUrl(postgres, 'wallet'), OWNER_URL: productionUrl(postgres, 'owner') }
      await follow(PRODUCTION_PAGE, (blocks) => runBlocks(folder, blocks, { env }))
    } finally {
      await postgres.stop()
      folder.remove()
    }
  })
})
