/** Driver that sends each request of the kit to a platform with the API of Purser's platform. */
import { randomUUID } from 'node:crypto'
import { trimEndSlashes } from '@purser/protocol/values/base-url'
import { errorText } from '@purser/runtime/errors/error-text'
import type { ExtraHeaders } from '@purser/runtime/network/extra-headers'
import { userAgent } from '@purser/runtime/version'
import { Agent, request } from 'undici'
import {
  DRIVER_TIMEOUT_MS,
  type DriverRequest,
  type DriverResult,
  driverFault,
  driverUnable,
  type PlatformDriver,
} from './platform-driver.ts'

export interface ApiDriverOptions {
  readonly url: string
  readonly key: string
  /** Sent in addition to the key. */
  readonly headers?: ExtraHeaders
}

/** Undefined if a server answers, with any status. */
export async function findConnectionError(url: string): Promise<string | undefined> {
  try {
    await (await request(url)).body.dump()
    return undefined
  } catch (error) {
    return errorText(error)
  }
}

const OWN_HEADERS = { 'user-agent': userAgent('conformance') }

type SendToApi = (method: string, path: string, body?: object) => Promise<unknown>
type ApiDriverRequest = Exclude<DriverRequest, { do: 'restart' }>

/** `restart` is missing, because only the host of the platform can restart it. */
export function createApiDriver({ url, key, headers: extra = {} }: ApiDriverOptions): {
  drive: PlatformDriver
  close(): Promise<void>
} {
  const agent = new Agent({ headersTimeout: DRIVER_TIMEOUT_MS, bodyTimeout: DRIVER_TIMEOUT_MS })
  const frames = new Map<string, string>()
  const send: SendToApi = async (method, path, body) => {
    const headers = {
      ...OWN_HEADERS,
      ...extra,
      authorization: `Bearer ${key}`,
      ...(body && { 'content-type': 'application/json' }),
    }
    const options = { method, headers, body: body ? JSON.stringify(body) : null, dispatcher: agent }
    const answer = await request(trimEndSlashes(url) + path, options)
    const text = await answer.body.text()
    if (answer.statusCode < 300) return text === '' ? {} : JSON.parse(text)
    throw new Error(`${method} ${path} answered ${answer.statusCode} ${text.slice(0, 300)}`)
  }
  const drive: PlatformDriver = async (driverRequest) => {
    if (driverRequest.do === 'restart')
      return driverUnable('the platform’s API cannot restart it; --restart names a command that does')
    try {
      return await sendDriverRequest(send, frames, driverRequest)
    } catch (error) {
      return driverFault(errorText(error))
    }
  }
  return { drive, close: () => agent.destroy() }
}

async function sendDriverRequest(
  send: SendToApi,
  frames: Map<string, string>,
  driverRequest: ApiDriverRequest,
): Promise<DriverResult> {
  switch (driverRequest.do) {
    case 'partner': {
      const { do: _do, ...partner } = driverRequest
      await send('POST', '/partners', partner)
      return { kind: 'done' }
    }
    case 'frame': {
      const { partnerId, token } = driverRequest
      const { frameSessionId } = (await send('POST', '/frame-sessions', { partnerId, token })) as FrameSessionAnswer
      frames.set(token, frameSessionId)
      return { kind: 'done' }
    }
    case 'place': {
      const selections = [{ eventId: randomUUID(), outcomeId: 'home', coefficient: '2.5' }]
      await send('POST', '/bets', {
        frameSessionId: frames.get(driverRequest.token),
        amount: driverRequest.amount,
        selections,
      })
      return { kind: 'done' }
    }
    case 'settle':
      await send('POST', `/bets/${driverRequest.bet}/settle`, {
        resultType: driverRequest.resultType,
        amount: driverRequest.amount,
      })
      return { kind: 'done' }
    case 'unsettle':
      await send('POST', `/bets/${driverRequest.bet}/unsettle`)
      return { kind: 'done' }
    case 'cancel':
      await send('POST', `/bets/${driverRequest.bet}/cancel`, { errorCode: driverRequest.errorCode })
      return { kind: 'done' }
    case 'look': {
      const { status, deliveries } = (await send('GET', `/bets/${driverRequest.bet}`)) as BetAnswer
      const delivery = deliveries.at(-1)?.status
      return { kind: 'done', shownState: { status, ...(delivery !== undefined && { delivery }) } }
    }
    default:
      return driverRequest satisfies never
  }
}

interface FrameSessionAnswer {
  readonly frameSessionId: string
}

interface BetAnswer {
  readonly status: string
  readonly deliveries: readonly { readonly status: string }[]
}
