/**
 * Makes packages/server/openapi/wallet.json, which describes the partner wire and the operator API.
 */

import { WALLET_CASES } from '@purser/conformance/wallet/cases/wallet-cases'
import { REPLY_CODES } from '@purser/protocol/reply-codes'
import { createLogger } from '@purser/runtime/logger'
import { readConfig } from 'purser/core/config/config'
import { openDb } from 'purser/core/database/database-factory'
import { recordBucketCount } from 'purser/core/database/schema/buckets'
import { migrateSchema } from 'purser/core/database/schema/schema-migration'
import { createWalletApp } from 'purser/servers/wallet-server'
import { CALL_NAMES, REPLY_CODE_GUIDE } from '../reply-code-guide.mjs'
import { listOperations, makeDocument } from './document.mjs'
import { OPERATOR_KEY, recordExamples, SECRET } from './wallet-examples.mjs'
import { NAMED_SCHEMAS, OPENAPI } from './wallet-frame.mjs'

export function makeWalletOpenApi() {
  return makeWalletOpenApiFrom({ PURSER_DATA_DIR: 'memory://' })
}

/**
 * `store` has the settings of an empty database. The document is the same for any kind of database.
 */
export function makeWalletOpenApiFrom(store) {
  const record = ({ app, db }) => recordExamples(app, db)
  const keys = { url: '/operator/keys', key: OPERATOR_KEY }
  const parts = { frame: OPENAPI, schemas: NAMED_SCHEMAS, describe: addWireReplies, keys, record }
  return makeDocument({ ...parts, start: (beforeRoutes) => startWallet(store, beforeRoutes) })
}

async function startWallet(store, beforeRoutes) {
  const secrets = { PARTNER_SECRET: SECRET, OPERATOR_API_KEY: OPERATOR_KEY }
  const waiting = { PURSER_APPROVE_ABOVE: 'EUR:10000', PURSER_COOLING_OFF: '24h' }
  const settings = { PURSER_JOURNAL_DAYS: '0', PURSER_CONFORMANCE: 'on', ...waiting }
  const config = readConfig({ ...store, ...settings, ...secrets })
  const db = await openDb(config.store)
  await migrateSchema(db)
  const buckets = await recordBucketCount(db, config.buckets)
  const clock = steppedClock()
  const deps = { db: lookedUp(db), clock, buckets, log: createLogger('silent'), kit: KIT }
  const withClock = (app) => {
    app.addHook('onRequest', clock.step)
    return beforeRoutes(app)
  }
  const app = await createWalletApp(config, { ...deps, beforeRoutes: withClock })
  await app.ready()
  return { db, app, close: () => app.close() }
}

/** Conformance kit with two cases that never end. */
const KIT = {
  cases: WALLET_CASES.slice(0, 2).map(({ id, clause, level, sentence, loses }) => ({
    id,
    clause,
    level,
    sentence,
    loses,
  })),
  judge: () => new Promise(() => {}),
}

/**
 * Looks up each function when it is called, because the story later stops the database of an app
 * that has copied them.
 */
function lookedUp(db) {
  const late = Object.keys(db).map((name) => [name, (...values) => db[name](...values)])
  const userQueries = { query: (...values) => db.userQueries.query(...values) }
  return { ...Object.fromEntries(late), kind: db.kind, userQueries }
}

/** Moves one second per request, so that the document is the same on any day and machine. */
function steppedClock() {
  let time = Date.parse('2031-05-16T17:00:00.000Z')
  return {
    now: () => new Date(time),
    async step() {
      time += 1_000
    },
  }
}

const CALLS = {
  placeBet: ['place'],
  changeBet: ['settle', 'unsettle', 'rollback'],
  readProfile: ['profile'],
  readBalance: ['balance'],
  checkBet: ['check'],
}

/** The 400 of a wire operation lists its codes, the 500 has its meaning. */
function addWireReplies(document) {
  for (const { operationId, responses } of listOperations(document)) {
    const calls = CALLS[operationId]
    if (calls === undefined) continue
    responses[200].description =
      calls.length > 1 || operationId === 'placeBet'
        ? 'The operation was done by this call or by an earlier one (R-2).'
        : 'The requested data.'
    responses[400].description = `The call is rejected with one of these codes (R-1, R-3).\n\n${codesOf(calls)}`
    if (responses[500]) responses[500].description = 'The wallet failed with code 100. Send the call again (R-4).'
  }
}

function codesOf(calls) {
  const lines = Object.entries(REPLY_CODES).flatMap(([name, { code, message }]) => {
    const answers = REPLY_CODE_GUIDE[name].answers.filter((call) => calls.includes(call))
    const isOther = name === 'system_error' && !calls.includes('place') // for Place bet only; elsewhere it is a 500
    if (answers.length === 0 || isOther) return []
    const who = answers.length === calls.length ? '' : ` (${answers.map((call) => CALL_NAMES[call]).join(', ')} only)`
    return [`- \`${code}\` ${message}${who}`]
  })
  return lines.join('\n')
}
