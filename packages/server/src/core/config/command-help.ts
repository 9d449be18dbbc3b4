/** The part of `--help` that lists the settings of a command. */
import { TERMINAL_WIDTH, wrapText } from '@purser/runtime/text/text-wrapping'
import { listSettings, type SettingReader } from './settings.ts'

export function formatEnvironmentHelp(...readers: readonly SettingReader[]): string {
  const settings = listSettings(readers)
  const width = Math.max(...settings.map(({ name }) => name.length)) + 2
  const lines = settings.flatMap(({ name, meaning, ...setting }) => {
    const fallback = setting.default === undefined ? '' : ` [${setting.default}]`
    const texts = wrapText(TERMINAL_WIDTH - width - 2, `${meaning}${fallback}`)
    return texts.map((text, i) => `  ${(i === 0 ? name : '').padEnd(width)}${text}`)
  })
  return `\nEnvironment:\n${lines.join('\n')}\n\nSecrets can also be given as NAME_FILE, the path of a file that holds them.`
}
