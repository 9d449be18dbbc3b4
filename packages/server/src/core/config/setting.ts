/** Types of a setting: its name, its default, its description, and the servers that read it. */
export type SettingReader = 'wallet' | 'platform' | 'gateway' | 'tool'

export interface Setting {
  readonly name: string
  /** Absent for all readers. */
  readonly readBy?: readonly SettingReader[]
  /** As text; undefined without a default. */
  readonly default?: string
  readonly meaning: string
  readonly example: string
  /** NAME_FILE may give the path of a file with the value. */
  readonly secret?: true
}

export const SERVER_READERS = ['wallet', 'platform', 'gateway'] as const
