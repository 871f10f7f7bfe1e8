// What the sample uses of Unity and of Colyseus' SDK for it (io.colyseus.sdk 0.17.2), without bodies: so that it compiles.
using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace UnityEngine
{
    public class MonoBehaviour { }

    [AttributeUsage(AttributeTargets.Field)]
    public class SerializeField : Attribute { }

    public static class Time
    {
        public static float realtimeSinceStartup => throw null;
    }

    public static class PlayerPrefs
    {
        public static string GetString(string key) => throw null;
        public static void SetString(string key, string value) => throw null;
    }
}

namespace Colyseus
{
    public class Auth
    {
        public string Token { get => throw null; set => throw null; }
    }

    public class Client
    {
        public Auth Auth;

        public Client(string endpoint) => throw null;

        public Task<Room<T>> JoinOrCreate<T>(
            string roomName,
            Dictionary<string, object> options = null,
            Dictionary<string, string> headers = null
        ) where T : class => throw null;
    }

    public delegate void NoArgsEventHandler();

    public class Room<T>
    {
        public event NoArgsEventHandler OnReconnect { add => throw null; remove => throw null; }
        public Task Send(string type, object message) => throw null;
        public void OnMessage<MessageType>(string type, Action<MessageType> handler) => throw null;
    }
}

namespace Colyseus.Schema
{
    public class Schema { }

    public class MapSchema<T> { }

    [AttributeUsage(AttributeTargets.Field)]
    public class Type : Attribute
    {
        public Type(int index, string type, System.Type childType = null, string childPrimitiveType = null) => throw null;
    }
}
