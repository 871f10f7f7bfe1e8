// 
// THIS FILE HAS BEEN GENERATED AUTOMATICALLY
// DO NOT CHANGE IT MANUALLY UNLESS YOU KNOW WHAT YOU'RE DOING
// 
// GENERATED USING @colyseus/schema 5.0.34
// 

namespace Kibble {
	public partial class HomeState : global::Colyseus.Schema.Schema {
#if UNITY_5_3_OR_NEWER
		[global::UnityEngine.Scripting.Preserve]
#endif
		public HomeState() { }

		[global::Colyseus.Schema.Type(0, "string")]
		public string playerId = default(string);

		[global::Colyseus.Schema.Type(1, "string")]
		public string epoch = default(string);

		[global::Colyseus.Schema.Type(2, "number")]
		public double seq = default(double);

		[global::Colyseus.Schema.Type(3, "map", typeof(global::Colyseus.Schema.MapSchema<double>), "number")]
		public global::Colyseus.Schema.MapSchema<double> items = new global::Colyseus.Schema.MapSchema<double>();

		[global::Colyseus.Schema.Type(4, "map", typeof(global::Colyseus.Schema.MapSchema<PetState>))]
		public global::Colyseus.Schema.MapSchema<PetState> pets = new global::Colyseus.Schema.MapSchema<PetState>();
	}
}
