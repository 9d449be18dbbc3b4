export function PlayerPage(_: { user: string }) {
  return null
}
