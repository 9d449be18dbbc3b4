/** HTTP client for an API of a Purser server, with the address and a key. */

export interface BearerAnswer {
  readonly status: number
  readonly body: unknown
}

export interface BearerClient {
  readonly url: string
  readonly key: string
  /** Returns any answer; rejects only without one. */
  fetchAny(method: string, path: string, body?: object): Promise<BearerAnswer>
  /** Returns the body of a successful answer, or of a status in `or`. Rejects on others. */
  fetchJson<T>(method: string, path: string, body?: object, or?: readonly number[]): Promise<T>
}

export function createBearerClient(url: string, key: string): BearerClient {
  const fetchAny: BearerClient['fetchAny'] = async (method, path, body) => {
    const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  }
  return {
    url,
    key,
    fetchAny,
    async fetchJson<T>(method: string, path: string, body?: object, or: readonly number[] = []) {
      const answer = await fetchAny(method, path, body)
      if (answer.status >= 300 && !or.includes(answer.status))
        throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
      return answer.body as T
    },
  }
}
