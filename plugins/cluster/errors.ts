import type { ExplainedErrorRow } from 'wamux/plugin'

export const errors = {
  CLUSTER_SETTING: [
    500,
    'the setting "%s" is missing: %s',
    {
      meaning: 'A setting that every node of a cluster needs is missing.',
      cause: 'The plugin cluster is enabled without its address or secret.',
      remedy: 'Set `WAMUX_CLUSTER_URL` or `WAMUX_CLUSTER_SECRET`.',
    },
  ],
  CLUSTER_ENGINE: [
    500,
    'several nodes can share PostgreSQL only: set DATABASE_URL, or switch this plugin off',
    {
      meaning: 'A cluster needs PostgreSQL.',
      cause: 'The plugin cluster is enabled, but the gateway uses SQLite.',
      remedy: 'Set `DATABASE_URL`, or switch the plugin off.',
    },
  ],
  CLUSTER_KEYS: [
    500,
    'the node %s has different master keys: set WAMUX_KEYS, or WAMUX_KEYS_FILE, to the same on every node',
    {
      meaning: 'The nodes have different master keys.',
      cause: 'A node was started with its own generated key.',
      remedy: 'Set `WAMUX_KEYS` or `WAMUX_KEYS_FILE` to the same value on every node.',
    },
  ],
  CLUSTER_ADDRESS: [
    500,
    'the setting "url" is %s, which the running node %s has too: set it to an address that reaches this node only',
    {
      meaning: 'Two nodes announce the same address.',
      cause:
        'The same `WAMUX_CLUSTER_URL` was given to several nodes, for example the address of the load balancer.',
      remedy: 'Give each node the address under which the other nodes reach it, and it alone.',
    },
  ],
  CLUSTER_SIGNATURE: [
    401,
    'The signature of a request from another node is not valid: every node needs the same secret, and the same version',
    {
      meaning: 'A request that claims to come from another node is not signed correctly.',
      cause: 'Nodes have different secrets or versions, or somebody forged the request.',
      remedy: 'Give every node the same `WAMUX_CLUSTER_SECRET` and the same version of wamux.',
    },
  ],
  CLUSTER_NO_OWNER: [
    503,
    'No node serves this session at the moment; one will within seconds',
    {
      meaning: 'No node serves the session at the moment.',
      cause: 'Its node has just failed or stopped, and the lease has not expired yet.',
      remedy: 'Repeat the request after `Retry-After` seconds.',
    },
  ],
  CLUSTER_MOVED: [
    421,
    'This node does not serve this session (any more)',
    {
      meaning: 'The node no longer serves the session.',
      cause: 'The session moved to another node while the request was forwarded.',
      remedy: 'Repeat the request; nodes retry this automatically, and clients rarely see it.',
    },
  ],
  CLUSTER_NODE_FAILED: [
    502,
    'The node that serves this session did not answer: %s',
    {
      meaning: 'The node that serves the session did not answer.',
      cause: 'It failed or is unreachable from the node that received the request; a send may have left.',
      remedy: 'Repeat a send with the same `Id`; check the network between the nodes.',
    },
  ],
  CLUSTER_DRAINING: [
    503,
    'This node is handing its sessions over and takes no more',
    {
      meaning: 'The node hands its sessions over to others.',
      cause: 'It is being drained before a stop.',
      remedy: 'Repeat the request after `Retry-After` seconds; another node then serves the session.',
    },
  ],
} as const satisfies Record<string, ExplainedErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
