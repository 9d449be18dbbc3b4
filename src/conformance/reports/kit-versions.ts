/** What stands in every report: which kit judged, by which clauses. */
import { VERSION } from '../../runtime/version.ts'
import { INTERFACE_VERSION } from '../clauses.ts'

export const KIT_VERSIONS = { kitVersion: VERSION, interfaceVersion: INTERFACE_VERSION } as const
