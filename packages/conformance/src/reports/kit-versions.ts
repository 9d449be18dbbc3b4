/** Versions of the kit and of the clauses, for every report. */
import { VERSION } from '@purser/runtime/version'
import { INTERFACE_VERSION } from '../clauses.ts'

export const KIT_VERSIONS = { kitVersion: VERSION, interfaceVersion: INTERFACE_VERSION } as const
