/** Of the operator of all servers. */
export const OPS_TOKEN = 'Zx81kQmW4vTn7LrB2yHcD5sJ';
