/** A curl command that repeats a request with the same bytes. */

export interface CurlRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The exact text; empty without a body. */
  readonly body: string
}

/** For a POSIX shell. `shellVariables` maps header names to shell variables with their values. */
export function formatCurlCommand(
  { method, url, headers, body }: CurlRequest,
  shellVariables: Readonly<Record<string, string>> = {},
): string {
  const given = Object.entries(headers).map(([name, value]) => `-H ${quoteForShell(`${name}: ${value}`)}`)
  const variableHeaders = Object.entries(shellVariables).map(([name, variable]) => `-H "${name}: $${variable}"`)
  const data = body === '' ? [] : [`--data-binary ${quoteForShell(body)}`]
  return ['curl -sS -i', `-X ${method}`, quoteForShell(url), ...given, ...variableHeaders, ...data].join(' ')
}

/** One word of a POSIX shell. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
