/** Definition of a setting. */
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
