<?php

declare(strict_types=1);

namespace Wamux\Exception;

use Wamux\WamuxException;

/** No answer (NETWORK). Whether the call had an effect is unknown. */
class ConnectionFailed extends WamuxException
{
}
