import type { OperatorClient } from './operator.ts'
import type { Json, JsonObject } from './wire.ts'

const PAGE = 500

/** The status of each bet of the wallet, by bet id. */
export async function readBetStatuses(operator: OperatorClient): Promise<Map<string, string>> {
  const statuses = new Map<string, string>()
  let after: string | undefined
  do {
    const { status, body } = await operator.request(
      'GET',
      `/operator/bets?limit=${PAGE}${after ? `&after=${after}` : ''}`,
    )
    if (status !== 200) throw new Error(`the list of bets was answered ${status}`)
    for (const bet of listOf(body)) statuses.set(String(bet.transactionId), String(bet.status))
    after = nextOf(body)
  } while (after !== undefined)
  return statuses
}

function listOf(body: Json): JsonObject[] {
  const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : []
  return Array.isArray(data) ? data.filter(isObject) : []
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function nextOf(body: Json): string | undefined {
  const next = typeof body === 'object' && body !== null && 'next' in body ? body.next : undefined
  return typeof next === 'string' ? next : undefined
}
