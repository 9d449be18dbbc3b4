/**
 * Every operation of the wallet's API on Citus: the calls of which the API reference is made, each answer as it is on one Postgres. What is in the
 * reference has an example of each answer (test/openapi.test.ts), so a new operation is asked here, too.
 */
import { expect, test } from 'vitest'
import { operationsOf, readDocument } from '../openapi/document.ts'
import { CITUS_BUCKETS, createDatabase } from '../support/database.ts'

/** JavaScript, of which no types are known. */
const MAKER = '../../scripts/openapi/wallet.mjs'

test('the reference of the API, made by a wallet on Citus, is the same', async (context) => {
  const { url, drop } = await createDatabase()
  context.onTestFinished(drop)
  const { makeWalletOpenApiOn } = await import(/* @vite-ignore */ MAKER)
  const made = JSON.parse(await makeWalletOpenApiOn({ DATABASE_URL: url, PURSER_BUCKETS: `${CITUS_BUCKETS}` }))
  const document = readDocument('wallet')
  const [here, there] = [made, document].map((one) => operationsOf(one))
  for (const operation of there ?? [])
    expect(
      here?.find(({ name }) => name === operation.name),
      operation.name,
    ).toEqual(operation)
  expect(made).toEqual(document)
})
