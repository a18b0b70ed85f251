import type { ErrorRow } from 'wamux/plugin'

export const errors = {
  CLUSTER_SETTING: [500, 'the setting "%s" is missing: %s'],
  CLUSTER_ENGINE: [
    500,
    'several nodes can share PostgreSQL only: set DATABASE_URL, or switch this plugin off',
  ],
  CLUSTER_KEYS: [
    500,
    'the node %s has different master keys: set WAMUX_KEYS, or WAMUX_KEYS_FILE, to the same on every node',
  ],
  CLUSTER_SIGNATURE: [
    401,
    'The signature of a request from another node is not valid: every node needs the same secret, and the same version',
  ],
  CLUSTER_NO_OWNER: [503, 'No node serves this session at the moment; one will within seconds'],
  CLUSTER_MOVED: [421, 'This node does not serve this session (any more)'],
  CLUSTER_NODE_FAILED: [502, 'The node that serves this session did not answer: %s'],
  CLUSTER_DRAINING: [503, 'This node is handing its sessions over and takes no more'],
} as const satisfies Record<string, ErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
