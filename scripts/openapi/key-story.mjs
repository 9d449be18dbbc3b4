/**
 * Example calls about API keys, which are the same for all servers: [operation, status, name,
 * summary, call]. The examples of 401, 403 and 503 are recorded with the other operations.
 */
export function keySteps(prefix) {
  const keys = `${prefix}/keys`
  const desk = { name: 'support-desk', role: 'support' }
  return [
    ['makeKey', 201, 'made', 'The response is the only one that shows the key', ['POST', keys, desk]],
    ['makeKey', 400, 'invalid', 'A role that does not exist', ['POST', keys, { ...desk, role: 'boss' }]],
    ['makeKey', 409, 'exists', 'The name was used before', ['POST', keys, desk]],
    [
      'rotateKey',
      201,
      'rotated',
      'The earlier key works for an hour',
      ['POST', `${keys}/support-desk/rotate`, { overlapSeconds: 3_600 }],
    ],
    [
      'rotateKey',
      400,
      'invalid',
      'A negative overlap',
      ['POST', `${keys}/support-desk/rotate`, { overlapSeconds: -1 }],
    ],
    ['rotateKey', 404, 'unknown', 'An unknown name', ['POST', `${keys}/nobody/rotate`, {}]],
    ['listKeys', 200, 'all', 'All entries', ['GET', keys]],
    ['listKeys', 400, 'cursor', 'An invalid cursor', ['GET', `${keys}?after=yesterday`]],
    ['revokeKey', 204, 'revoked', 'Ended', ['DELETE', `${keys}/support-desk`]],
    ['revokeKey', 400, 'invalid', 'An invalid name of a key', ['DELETE', `${keys}/Support`]],
    ['revokeKey', 404, 'unknown', 'An unknown name', ['DELETE', `${keys}/nobody`]],
    ['rotateKey', 409, 'ended', 'The key was revoked', ['POST', `${keys}/support-desk/rotate`, {}]],
  ]
}

const KEY = 'purser_example-key-example-key-example-key-example'
const HASH = '5f2a9c01'
const TIME = '2031-05-16T17:00:00.000Z'

/** Keys are random, and their times come from the database. */
export function withFixedKeys(records) {
  return JSON.parse(JSON.stringify(records), (member, value) => {
    if (member === 'key' && typeof value?.name === 'string' && /^[a-z]/.test(value.name))
      return { ...value, hash: HASH } // the hash in an action
    if (typeof value?.madeAt !== 'string' || value.role === undefined) return value
    const fixed = { key: KEY, hash: HASH, madeAt: TIME, endsAt: TIME, earlierEndAt: TIME }
    if (value.live !== undefined) value.lastUsedAt = TIME // set only after a call with the key
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fixed[name] ?? member]))
  })
}

const PROBLEM_ID = '00000000-0000-4000-8000-000000000000'

/** The 403 of each operation that the read role may not call. Runs before all other calls. */
export async function recordForbidden(operations, app, { url, key: first }) {
  const ask = (method, path, key, payload) =>
    app.inject({ method, url: path, headers: { authorization: `Bearer ${key}` }, ...(payload && { payload }) })
  const { key } = (await ask('POST', url, first, { name: 'reports', role: 'read' })).json()
  const refused = operations.filter(({ responses }) => responses[403] !== undefined)
  return Promise.all(
    refused.map(async ({ operationId, method, path }) => {
      const reply = await ask(method, path.replaceAll(/\{\w+\}/g, 'x'), key)
      if (reply.statusCode !== 403) throw new Error(`${operationId} answers a key of the role read ${reply.statusCode}`)
      const answer = { ...reply.json(), requestId: PROBLEM_ID }
      return { operationId, status: 403, name: 'role', summary: 'A key of the role read', answer }
    }),
  )
}

/** The replies of each operation to an unread body: too large, or of a wrong media type. */
export async function recordUnread(operations, app, { key }) {
  const unread = [
    [413, 'tooLarge', 'A body that is too large', 'application/json', ' '.repeat(MORE_THAN_ANY)],
    [415, 'type', 'A body that is not JSON', 'text/plain', 'hello'],
  ]
  const asked = operations.flatMap((operation) => unread.map((parts) => [operation, ...parts]))
  return Promise.all(
    asked
      .filter(([{ responses }, status]) => responses[status] !== undefined)
      .map(async ([{ operationId, method, path }, status, name, summary, type, payload]) => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': type }
        const reply = await app.inject({ method, url: path.replaceAll(/\{\w+\}/g, 'x'), headers, payload })
        if (reply.statusCode !== status) throw new Error(`${operationId} (${name}) answers ${reply.statusCode}`)
        return { operationId, status, name, summary, answer: { ...reply.json(), requestId: PROBLEM_ID } }
      }),
  )
}

/** Bytes. */
const MORE_THAN_ANY = 1024 * 1024
