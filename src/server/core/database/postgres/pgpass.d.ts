/** Types of pgpass, which has none. */
declare module 'pgpass' {
  /** Undefined: no line of the file fits. */
  function find(
    target: { readonly host: string; readonly port: number; readonly database: string; readonly user: string },
    use: (password: string | undefined) => void,
  ): void
  export = find
}
