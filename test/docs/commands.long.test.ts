/** The commands of the guides and of the tutorial, run against servers that are started for them; the README's are in docs.test.ts. */
import { describe, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { follow, followWithServer } from './follow.ts'
import { makeFolder, runBlocks } from './session.ts'

describe('the commands of', () => {
  test('the tutorial do what it shows', () => followWithServer('docs/tutorial/first-bet.md'), 180_000)

  test('the guide to the platform do what it shows', () => followWithServer('docs/guides/run-a-platform.md'), 180_000)

  test(
    'the guide to certification do what it shows',
    () => followWithServer('docs/guides/certify-your-wallet.md'),
    180_000,
  )

  test('the guide to production do what it shows, on Postgres', async () => {
    const [folder, database] = [makeFolder(), await createDatabase()]
    try {
      const env = { DATABASE_URL: database.url }
      await follow('docs/guides/run-in-production.md', (blocks) => runBlocks(folder, blocks, { env }))
    } finally {
      await database.drop()
      folder.remove()
    }
  })
})
