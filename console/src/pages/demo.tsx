export function DemoPage() {
  return null
}
