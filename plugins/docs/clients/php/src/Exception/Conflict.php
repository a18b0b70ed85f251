<?php

declare(strict_types=1);

namespace Wamux\Exception;

use Wamux\WamuxException;

/** 409: the session is not in the state that the call needs, or an id was used for something else. */
class Conflict extends WamuxException
{
}
