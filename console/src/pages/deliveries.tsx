export function DeliveriesPage() {
  return null
}
