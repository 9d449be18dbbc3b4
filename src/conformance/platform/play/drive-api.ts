/** Drives a Purser platform over its API, or any platform that answers the same calls. */
import { randomUUID } from 'node:crypto'
import { Agent, request } from 'undici'
import { withoutEndSlashes } from '../../../protocol/base-url.ts'
import { errorText } from '../../../runtime/error-text.ts'
import type { Headers } from '../../../runtime/headers.ts'
import { userAgent } from '../../../runtime/version.ts'
import { broken, type Drive, type Fulfilled, unable, WISH_TIMEOUT_MS, type Wish } from './drive.ts'

export interface ApiOptions {
  readonly url: string
  readonly key: string
  /** Sent beside the key. */
  readonly headers?: Headers
}

/** Why nothing answers there; undefined when something does, whatever it says. */
export async function whyUnreachable(url: string): Promise<string | undefined> {
  try {
    await (await request(url)).body.dump()
    return undefined
  } catch (error) {
    return errorText(error)
  }
}

const OURS = { 'user-agent': userAgent('conformance') }

type Send = (method: string, path: string, body?: object) => Promise<unknown>
type RestWish = Exclude<Wish, { do: 'restart' }>

/** `restart` is a matter of the host that the platform runs on: not done here. */
export function driveByApi({ url, key, headers: extra = {} }: ApiOptions): { drive: Drive; close(): Promise<void> } {
  const agent = new Agent({ headersTimeout: WISH_TIMEOUT_MS, bodyTimeout: WISH_TIMEOUT_MS })
  const frames = new Map<string, string>()
  const send: Send = async (method, path, body) => {
    const headers = {
      ...OURS,
      ...extra,
      authorization: `Bearer ${key}`,
      ...(body && { 'content-type': 'application/json' }),
    }
    const options = { method, headers, body: body ? JSON.stringify(body) : null, dispatcher: agent }
    const answer = await request(withoutEndSlashes(url) + path, options)
    const text = await answer.body.text()
    if (answer.statusCode < 300) return text === '' ? {} : JSON.parse(text)
    throw new Error(`${method} ${path} answered ${answer.statusCode} ${text.slice(0, 300)}`)
  }
  const drive: Drive = async (wish) => {
    if (wish.do === 'restart')
      return unable('the platform’s API cannot restart it; --restart names a command that does')
    try {
      return await fulfil(send, frames, wish)
    } catch (error) {
      return broken(errorText(error))
    }
  }
  return { drive, close: () => agent.destroy() }
}

async function fulfil(send: Send, frames: Map<string, string>, wish: RestWish): Promise<Fulfilled> {
  switch (wish.do) {
    case 'partner': {
      const { do: _do, ...partner } = wish
      await send('POST', '/partners', partner)
      return { kind: 'done' }
    }
    case 'frame': {
      const { partnerId, token } = wish
      const { frameSessionId } = (await send('POST', '/frame-sessions', { partnerId, token })) as FrameAnswer
      frames.set(token, frameSessionId)
      return { kind: 'done' }
    }
    case 'place': {
      const selections = [{ eventId: randomUUID(), outcomeId: 'home', coefficient: '2.5' }]
      await send('POST', '/bets', { frameSessionId: frames.get(wish.token), amount: wish.amount, selections })
      return { kind: 'done' }
    }
    case 'settle':
      await send('POST', `/bets/${wish.bet}/settle`, { resultType: wish.resultType, amount: wish.amount })
      return { kind: 'done' }
    case 'unsettle':
      await send('POST', `/bets/${wish.bet}/unsettle`)
      return { kind: 'done' }
    case 'cancel':
      await send('POST', `/bets/${wish.bet}/cancel`, { errorCode: wish.errorCode })
      return { kind: 'done' }
    case 'look': {
      const { status, deliveries } = (await send('GET', `/bets/${wish.bet}`)) as BetAnswer
      const delivery = deliveries.at(-1)?.status
      return { kind: 'done', look: { status, ...(delivery !== undefined && { delivery }) } }
    }
    default:
      return wish satisfies never
  }
}

interface FrameAnswer {
  readonly frameSessionId: string
}

interface BetAnswer {
  readonly status: string
  readonly deliveries: readonly { readonly status: string }[]
}
