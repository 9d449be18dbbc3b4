/** What is known of one setting of the environment. */
export type SettingReader = 'wallet' | 'platform' | 'gateway' | 'tool'

export interface Setting {
  readonly name: string
  /** Absent: all of them. */
  readonly readBy?: readonly SettingReader[]
  /** As text; undefined when there is none. */
  readonly default?: string
  readonly meaning: string
  readonly example: string
  /** Can also be given as NAME_FILE, the path of a file that holds it. */
  readonly secret?: true
}

/** Every command that serves. */
export const SERVER_READERS = ['wallet', 'platform', 'gateway'] as const
