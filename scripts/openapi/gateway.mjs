/**
 * Makes packages/server/openapi/gateway.json, which describes the gateway's own API, with examples
 * from a gateway whose operator is our wallet.
 */

import { OperatorUserSchema, TokenSchema } from '@purser/protocol/bet-request'
import { createLogger } from '@purser/runtime/logger'
import * as apiKeys from 'purser/core/auth/api-key-routes'
import * as actions from 'purser/core/auth/audit-log/audit-log-list'
import { readConfig } from 'purser/core/config/config'
import { openDb } from 'purser/core/database/database-factory'
import { migrateSchema } from 'purser/core/database/schema/schema-migration'
import { ProblemSchema } from 'purser/core/http/api/route-description'
import * as routes from 'purser/gateway/gateway-routes'
import { createGatewayApp } from 'purser/servers/gateway-server'
import { createWalletApp } from 'purser/servers/wallet-server'
import { makeDocument } from './document.mjs'
import { recordGatewayExamples } from './gateway-examples.mjs'

const INTRODUCTION = `The gateway connects one platform with many operators. To the platform it is a wallet: it serves the calls of the interface
under \`/payment\` and \`/user\`, signed with PARTNER_SECRET, see the wallet's reference. This page describes its own API, which
registers operators and exchanges their session tokens for tokens that load the frame.

Every call needs a bearer key. Each role of a key (read, support, cash, admin) includes the rights of the roles before it. Errors
are problem details (RFC 9457) with a stable \`code\` and JSON pointers to the faults. A method that a path does not support is
answered 405, and \`Allow\` lists the supported ones.`

const FRAME = {
  openapi: '3.1.0',
  info: { title: 'Purser gateway', description: INTRODUCTION, license: { name: 'MIT', identifier: 'MIT' } },
  servers: [{ url: '/' }],
  tags: [
    { name: 'Operators', description: 'The operators that the gateway calls, and the sessions of their players.' },
    { name: 'Keys', description: 'The API keys, with their roles and limits.' },
  ],
  components: {
    securitySchemes: {
      gatewayKey: {
        type: 'http',
        scheme: 'bearer',
        description:
          'The root key GATEWAY_API_KEY, or an API key created with it. Each operation names the lowest role that may call it.',
      },
    },
  },
}

const NAMED_SCHEMAS = {
  NewOperator: routes.NewOperatorSchema,
  Operator: routes.OperatorSchema,
  TriedOperator: routes.TriedOperatorSchema,
  OperatorPage: routes.OperatorPageSchema,
  NewSession: routes.TokenExchangeSchema,
  Session: routes.GatewaySessionSchema,
  NewKey: apiKeys.NewKeySchema,
  KeyRotation: apiKeys.RotationSchema,
  MadeKey: apiKeys.CreatedKeySchema,
  Key: apiKeys.KeySchema,
  KeyPage: apiKeys.KeyPageSchema,
  Action: actions.AuditLogEntrySchema,
  ActionPage: actions.AuditLogPageSchema,
  Token: TokenSchema,
  OperatorUser: OperatorUserSchema,
  Problem: ProblemSchema,
}

const KEYS = { PARTNER_SECRET: 'shared-secret', OPERATOR_API_KEY: 'operator-key', GATEWAY_API_KEY: 'gateway-key' }

export function makeGatewayOpenApi() {
  const keys = { url: '/operators/keys', key: KEYS.GATEWAY_API_KEY }
  return makeDocument({ frame: FRAME, schemas: NAMED_SCHEMAS, start: startBoth, keys, record: recordGatewayExamples })
}

async function startBoth(beforeRoutes) {
  const config = readConfig({ PURSER_DATA_DIR: 'memory://', PURSER_JOURNAL_DAYS: '0', ...KEYS })
  const db = await openDb(config.store)
  await migrateSchema(db)
  const deps = { db, clock: { now: () => new Date('2031-05-16T17:00:00.000Z') }, log: createLogger('silent') }
  const wallet = await createWalletApp(config, { ...deps, buckets: 1 })
  const walletUrl = await wallet.listen({ host: '127.0.0.1', port: 0 })
  const { app, close: closeGateway } = await createGatewayApp(config, { ...deps, beforeRoutes })
  await app.ready()
  const close = async () => {
    await closeGateway()
    await wallet.close()
  }
  return { app, db, wallet, walletUrl, keys: KEYS, close }
}
