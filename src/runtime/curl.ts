/** A request as a command line that sends the very same bytes again. Pure. */

export interface Sendable {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The exact text; empty when there is no body. */
  readonly body: string
}

/** For a POSIX shell. `named`: headers whose values stand in variables of the shell. */
export function curlOf({ method, url, headers, body }: Sendable, named: Readonly<Record<string, string>> = {}): string {
  const given = Object.entries(headers).map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`)
  const asked = Object.entries(named).map(([name, variable]) => `-H "${name}: $${variable}"`)
  const data = body === '' ? [] : [`--data-binary ${shellQuoted(body)}`]
  return ['curl -sS -i', `-X ${method}`, shellQuoted(url), ...given, ...asked, ...data].join(' ')
}

/** As one word of a POSIX shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
