"""OpenStack Swift with its S3 interface on one port of this machine, its other servers on ports that are free.

Debian: python3-swift. usage: s3-server.py <port> <folder> <key>; the folder keeps the objects, and <key> is that of the user test:tester.
"""
import os
import sys

import eventlet

eventlet.patcher.monkey_patch(all=False, socket=True, select=True, thread=True, time=True)

port, folder, key = int(sys.argv[1]), sys.argv[2], sys.argv[3]
device = os.path.join(folder, 'node', 'disk')
os.makedirs(device, exist_ok=True)
with open(os.path.join(folder, 'swift.conf'), 'w') as conf:
    conf.write('[swift-hash]\nswift_hash_path_suffix = wamux\n')

from swift.common import utils

utils.set_swift_dir(folder)

from swift.account.server import AccountController
from swift.common.ring import RingBuilder
from swift.common.storage_policy import reload_storage_policies
from swift.container.server import ContainerController
from swift.obj.server import ObjectController
from swift.proxy.server import Application
from swift.common.middleware import bulk, listing_formats, slo, tempauth
from swift.common.middleware.s3api import s3api

reload_storage_policies()

listeners = {name: eventlet.listen(('127.0.0.1', 0), backlog=128) for name in ['account', 'container', 'object']}
# At each start, because the ports are others; the one disk keeps its number.
for name, listener in listeners.items():
    _, own_port = listener.getsockname()
    builder = RingBuilder(2, 1, 0)
    builder.add_dev({'id': 0, 'region': 1, 'zone': 1, 'weight': 1, 'ip': '127.0.0.1', 'port': own_port, 'device': 'disk'})
    builder.rebalance()
    builder.get_ring().save(os.path.join(folder, name + '.ring.gz'))


class Cache(dict):
    """What memcached is for Swift, in this process."""

    def __bool__(self):
        return True

    def set(self, key, value, *args, **kwargs):
        self[key] = value

    def get(self, key, *args, **kwargs):
        return dict.get(self, key)

    def delete(self, key, *args, **kwargs):
        self.pop(key, None)

    def incr(self, key, delta=1, *args, **kwargs):
        self[key] = dict.get(self, key, 0) + delta
        return self[key]


cache = Cache()
own = {'swift_dir': folder, 'devices': os.path.dirname(device), 'mount_check': 'false', 'log_level': 'ERROR'}
app = Application({**own, 'allow_account_management': 'true', 'account_autocreate': 'true'})
for factory, conf in [
    (slo.filter_factory, {'min_segment_size': '1'}),
    (bulk.filter_factory, {}),
    (tempauth.filter_factory, {'user_test_tester': '%s .admin http://127.0.0.1:%d/v1/AUTH_test' % (key, port)}),
    (s3api.filter_factory, {'location': 'us-east-1', 's3_acl': 'false', 'auth_pipeline_check': 'false'}),
    (listing_formats.filter_factory, {}),
]:
    app = factory({**own, **conf})(app)


def proxy(env, start_response):
    env['swift.cache'] = cache
    return app(env, start_response)


def serve(listener, application):
    return eventlet.spawn(eventlet.wsgi.server, listener, application, log_output=False)


for listener, server in zip(listeners.values(), [AccountController, ContainerController, ObjectController]):
    serve(listener, server(own))
serve(eventlet.listen(('127.0.0.1', port), backlog=128), proxy).wait()
