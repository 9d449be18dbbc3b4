/** Checks answers of the operator API, and reads objects and lists from their bodies. */
import { expect } from 'vitest'
import type { OperatorReply } from '../support/operator.ts'
import type { Json, JsonObject } from '../support/wire.ts'

/** Expects a problem report (RFC 9457) with this status and code, and these JSON pointers. */
export function expectProblem(reply: OperatorReply, status: number, code: string, pointers?: string[]): void {
  expect(reply).toMatchObject({
    status,
    body: { type: 'about:blank', status, code, requestId: expect.stringMatching(/./) },
  })
  if (pointers !== undefined) expect(rowsOf(reply.body, 'errors').map(({ pointer }) => pointer)).toEqual(pointers)
}

/** The objects of a list in an answer; empty when the answer has no such list. */
export function rowsOf(body: Json, member: string): JsonObject[] {
  const list = objectOf(body)[member]
  return Array.isArray(list) ? list.map(objectOf) : []
}

export function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}

/** Follows `next` from page to page; `between` runs after each page. */
export async function readAllPages(
  read: (query: string) => Promise<OperatorReply>,
  limit: number,
  between: (page: number) => Promise<void> = async () => {},
): Promise<JsonObject[][]> {
  const pages: JsonObject[][] = []
  let after = ''
  for (;;) {
    const { status, body } = await read(`limit=${limit}${after}`)
    expect(status).toBe(200)
    pages.push(rowsOf(body, 'data'))
    const { next } = objectOf(body)
    if (next === null) return pages
    expect(next).toEqual(expect.any(String))
    after = `&after=${next}`
    await between(pages.length)
  }
}
