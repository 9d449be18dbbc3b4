/** Types for the package pgpass, which contains none. */
declare module 'pgpass' {
  /** The password is undefined when no line of the file matches. */
  function find(
    target: { readonly host: string; readonly port: number; readonly database: string; readonly user: string },
    use: (password: string | undefined) => void,
  ): void
  export = find
}
