/** A request as a command line that sends the very same bytes again. Pure. */

export interface CurlRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The exact text; empty when there is no body. */
  readonly body: string
}

/** For a POSIX shell. `shellVariables`: headers whose values stand in variables of the shell. */
export function formatCurlCommand(
  { method, url, headers, body }: CurlRequest,
  shellVariables: Readonly<Record<string, string>> = {},
): string {
  const given = Object.entries(headers).map(([name, value]) => `-H ${quoteForShell(`${name}: ${value}`)}`)
  const variableHeaders = Object.entries(shellVariables).map(([name, variable]) => `-H "${name}: $${variable}"`)
  const data = body === '' ? [] : [`--data-binary ${quoteForShell(body)}`]
  return ['curl -sS -i', `-X ${method}`, quoteForShell(url), ...given, ...variableHeaders, ...data].join(' ')
}

/** As one word of a POSIX shell. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
